"""Collections of which little is known: nothing zipped, the keys of what a batch holds."""

from tests.machine.programs import run


def test_nothing_is_zipped() -> None:
    made = run("columns = list(zip(*[]))\nempty = [row for row in zip()]\ndist.barrier()\n")
    assert not made.incomplete


def test_keys_of_a_part_of_a_batch() -> None:
    made = run(
        """
        import pandas
        from torch.utils.data import DataLoader, Dataset

        class Questions(Dataset):
            def __init__(self):
                self.table = pandas.read_csv("questions.csv")

            def __len__(self):
                return len(self.table)

            def __getitem__(self, number):
                row = self.table.iloc[number]
                options = {letter: row[letter] for letter in ["A", "B"] if not pandas.isna(row[letter])}
                return {"question": row["question"], "options": options}

        def together(samples):
            return [one["question"] for one in samples], [one["options"] for one in samples]

        def first_letter(answer, options):
            letters = list(options.keys())
            return answer[0] if answer[0] in letters else answer

        found = []
        for question, options in DataLoader(Questions(), batch_size=1, collate_fn=together):
            found.append(first_letter(question[0], options[0]))
        dist.all_gather_object([None] * world, found)
        """
    )
    assert not made.incomplete
