"""YAML and JSON: places, wrong files, templates, what is started."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dtlint.launch.tree import Tree, is_template, read_json, read_yaml
from dtlint.source.text import Incomplete
from tests.launch.sources import loaded


def test_places_in_yaml_and_json():
    (tree,) = read_yaml("x.yaml", "a: 1\nb:\n  c: [x,\n    y]\n")
    assert tree.get("b", "c").line == 3
    assert [(item.value, item.line) for item in tree.get("b", "c").elements()] == [("x", 3), ("y", 4)]
    tree = read_json("x.json", '{\n\t"a": {\n\t\t"b": "x\\ty", "c": null\n\t}\n}')
    assert tree.get("a", "b").line == 3 and tree.get("a", "b").value == "x\ty"
    assert tree.get("a", "c").value is None and tree.get("a", "z") is None


def test_anchors_merges_and_loops():
    (tree,) = read_yaml("x.yaml", "base: &b {n: 1, m: 2}\nmine: {<<: *b, n: 3}\nloop: &l [*l]\n")
    assert tree.get("mine").plain() == {"n": 3, "m": 2}
    loop = tree.get("loop")
    assert loop.elements()[0] is loop


def test_scalars():
    (tree,) = read_yaml("x.yaml", "i: 012\nb: yes\nn: ~\nf: 1.5\ns: '5'\nh: 0x10\n")
    assert [item.value for _, item in tree.items()] == [12, True, None, 1.5, "5", 16]
    assert tree.get("s").number == 5 and tree.get("b").number is None and tree.get("f").number is None


@pytest.mark.parametrize(
    ("name", "text", "line", "reason"),
    [
        ("sky.yaml", "num_nodes: 2\nrun: [torchrun\nx: }\n", 3, "not valid YAML"),
        ("sky.yaml", "num_nodes: 2\n\tx: 1\n", 2, "not valid YAML"),
        ("sky.yaml", "num_nodes: *gone\n", 1, "not valid YAML"),
        ("ds.json", '{\n  "train_batch_size": 8,\n}\n', 3, "not valid JSON"),
        ("ds.json", '{"zero_optimization": 1} x', 1, "not valid JSON"),
        ("ds.json", '{"zero_optimization": ' + "[" * 100_000, 1, "not valid JSON"),
        ("run.sh", "torchrun 'train.py\n", 1, "not valid shell"),
        ("run.sh", "torchrun " + "$(" * 5_000 + "x" + ")" * 5_000 + "\n", 1, "not valid shell"),
        ("job.yaml", "kind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Worker:\n      template:\n        spec:\n"
         "          containers:\n            - command: [bash, -c, \"torchrun 'x\"]\n", 8, "never closed"),
    ],
)  # fmt: skip
def test_wrong_files_get_a_clear_answer(tmp_path, name, text, line, reason):
    found = loaded(tmp_path, {name: text, "ok.sh": "torchrun ok.py\n"})
    assert [(item.path, item.line) for item in found.problems] == [(name, line)]
    assert reason in found.problems[0].reason
    assert [launch.script for launch in found] == ["ok.py"]


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "run.sh").write_bytes(b"torchrun \xff\xfe train.py\n")
    from dtlint.launch.project import load
    from dtlint.source.text import SourceFile

    found = load([SourceFile("run.sh", tmp_path / "run.sh")])
    assert "utf-8" in found.problems[0].reason


def test_templates_are_named_not_blamed(tmp_path):
    helm = "num_nodes: {{ .Values.nodes }}\nrun: torchrun\n{{- if x }}\n"
    found = loaded(tmp_path, {"job.yaml": helm, "ds.json": '{"train_batch_size": BATCH_SIZE}'})
    assert found.problems == ()
    assert len(found.notices) == 2 and all("template" in notice for notice in found.notices)
    assert not is_template("a: {b: {c: 1}}")


def test_files_that_start_nothing_are_not_even_parsed(tmp_path):
    found = loaded(
        tmp_path, {"values.yaml": "a: [", "data.json": "{", "x.sh": "echo 'hello", ".vscode/launch.json": "{//"}
    )
    assert found.problems == () and found.files == ()


def test_containers(tmp_path):
    job = """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        spec:
          pytorchReplicaSpecs:
            Master: &role
              replicas: 1
              template:
                spec:
                  containers:
                    - command: ["torchrun", "--nnodes=$(NODES)", "--nproc_per_node=gpu", "train.py"]
                      env: [{name: NODES, value: "3"}]
                      resources: {limits: {nvidia.com/gpu: 4}}
            Worker:
              <<: *role
              replicas: 2
        ---
        kind: Service
    """
    found = [launch for launch in loaded(tmp_path, {"job.yaml": job}) if launch.kind == "torchrun"]
    assert [(launch.nodes, launch.processes_per_node, launch.outer.nodes) for launch in found] == [(3, 4, 3)] * 2


def test_jobset_job_and_trainjob(tmp_path):
    container = "containers: [{command: [torchrun, --nnodes=2, train.py]}]"
    pods = f"template: {{spec: {{parallelism: 3, template: {{spec: {{{container}}}}}}}}}"
    jobset = f"kind: JobSet\nspec: {{replicatedJobs: [{{replicas: 2, {pods}}}]}}\n"
    indexed = f"kind: Job\nspec: {{completionMode: Indexed, parallelism: 3, template: {{spec: {{{container}}}}}}}\n"
    plain = f"kind: Job\nspec: {{template: {{spec: {{{container}}}}}}}\n# torchrun\n"
    trainjob = "kind: TrainJob\nspec: {trainer: {numNodes: 5, command: [torchrun, train.py]}}\n"
    files = {"a.yaml": jobset, "b.yaml": indexed, "c.yaml": plain, "d.yaml": trainjob}
    found = [launch for launch in loaded(tmp_path, files) if launch.kind == "torchrun"]
    assert [launch.outer.nodes for launch in found] == [6, 3, None, 5]


def test_skypilot(tmp_path):
    text = """
        resources:
          accelerators: {H100: 8}
        num_nodes: 4
        envs:
          BATCH: 8
        run: |
          echo start
          torchrun --nnodes $SKYPILOT_NUM_NODES --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE train.py --batch $BATCH
    """
    found = loaded(tmp_path, {"sky.yaml": text}).launches[-1]
    assert (found.world_size, found.line, found.arguments.get("batch").number) == (32, 8, 8)


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_json_means_the_same_with_and_without_places(value):
    tree = read_json("x.json", json.dumps({"value": value}))
    assert isinstance(tree, Tree)
    assert tree.get("value").plain() == value


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab:-[]{}&*!|>'\"\n #,%@`\t?"))
def test_any_text_is_a_tree_or_a_problem(text):
    found = read_yaml("x.yaml", text)
    assert isinstance(found, (list, Incomplete))


def test_what_was_not_meant_as_a_launch_file_may_be_as_wrong_as_it_likes(tmp_path):
    files = {"site.json": '{"text": "accelerate",}', "x.sh": "python x.py 'open\n", "notes.yaml": "accelerate: [\n"}
    assert loaded(tmp_path, files).problems == ()


def test_many_templates_are_told_in_short(tmp_path):
    found = loaded(tmp_path, {f"{number}.yaml": "num_nodes: {{ n }}\n- [" for number in range(9)})
    assert len(found.notices) == 4 and "6 more" in found.notices[-1]
