"""Which names in a program show which thing of the check-list?

A name with a dot in front is a method: `.prepare` of whatever object. `*` at the end stands for any ending.
"""

from __future__ import annotations

SHOWS: dict[str, tuple[str, ...]] = {
    "torch": ("torch.distributed.*", "torch.cuda.*", "torch.nn.*", "torch.optim.*"),
    "jax": ("jax.*", "flax.*", "optax.*"),
    "initialise": (
        "torch.distributed.init_process_group", "torch.distributed.device_mesh.init_device_mesh",
        "jax.distributed.initialize", "accelerate.Accelerator", "accelerate.PartialState", "deepspeed.initialize",
        "deepspeed.init_distributed", "horovod.torch.init", "lightning.Fabric", "lightning.fabric.Fabric",
        "lightning.Trainer", "pytorch_lightning.Trainer", "lightning.pytorch.Trainer", "transformers.Trainer",
        "trl.SFTTrainer", "trl.GRPOTrainer", "trl.DPOTrainer", "torch_xla.launch",
        "torch_xla.distributed.xla_multiprocessing.spawn",
    ),
    "initialise-torch": ("torch.distributed.init_process_group",),
    "initialise-jax": ("jax.distributed.initialize",),
    "framework": (
        "accelerate.Accelerator", "lightning.Trainer", "pytorch_lightning.Trainer", "lightning.pytorch.Trainer",
        "transformers.Trainer", "trl.SFTTrainer", "trl.GRPOTrainer", "trl.DPOTrainer", "lightning.Fabric",
    ),
    "shutdown": (
        "torch.distributed.destroy_process_group", "jax.distributed.shutdown", ".end_training",
        "horovod.torch.shutdown",
    ),
    "device": (
        "torch.cuda.set_device", "torch.accelerator.set_device_index", "accelerate.Accelerator", "lightning.Fabric",
        "lightning.Trainer", "pytorch_lightning.Trainer", "transformers.Trainer", "deepspeed.initialize",
        "torch_xla.device", "torch_xla.core.xla_model.xla_device",
    ),
    "parameter-sharding": (
        "jax.sharding.Mesh", "jax.make_mesh", "jax.sharding.NamedSharding", "jax.pmap", "jax.experimental.pjit.pjit",
        "jax.shard_map", "jax.experimental.shard_map.shard_map", "flax.jax_utils.replicate",
        "torch.nn.parallel.DistributedDataParallel", "torch.distributed.fsdp.FullyShardedDataParallel",
        "torch.distributed.fsdp.fully_shard", "torch.distributed._composable.fsdp.fully_shard",
        "torch.distributed.tensor.parallel.parallelize_module", "deepspeed.initialize", ".prepare", ".setup",
        "horovod.torch.DistributedOptimizer", "horovod.torch.broadcast_parameters", "lightning.Trainer",
        "pytorch_lightning.Trainer", "transformers.Trainer", "trl.SFTTrainer", "torch.distributed.all_reduce",
    ),
    "data": (
        "torch.utils.data.DataLoader", "datasets.load_dataset", "datasets.load_from_disk", "webdataset.WebDataset",
        "webdataset.WebLoader", "tensorflow.data.*", "tensorflow_datasets.load", "grain.*", "torchvision.datasets.*",
        "jax.make_array_from_process_local_data", "jax.make_array_from_single_device_arrays",
        "jax.make_array_from_callback",
    ),
    "data-sharding": (
        "torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler",
        "datasets.distributed.split_dataset_by_node", "webdataset.split_by_node", "grain.python.ShardByJaxProcess",
        "grain.ShardByJaxProcess", "grain.python.ShardOptions", "grain.ShardOptions", ".prepare",
        ".prepare_data_loader",
        ".setup_dataloaders", ".shard", "torchdata.stateful_dataloader.*", "lightning.Trainer",
        "pytorch_lightning.Trainer", "transformers.Trainer", "trl.SFTTrainer",
        "tensorflow_datasets.split_for_jax_process",
        "jax.make_array_from_callback",
    ),
    "sampler": ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler"),
    "set-epoch": (".set_epoch",),
    "seed": (
        "torch.manual_seed", "torch.cuda.manual_seed_all", "numpy.random.seed", "random.seed", "jax.random.PRNGKey",
        "jax.random.key", "transformers.set_seed", "accelerate.utils.set_seed", "lightning.seed_everything",
        "pytorch_lightning.seed_everything",
    ),
    "random": (
        "jax.random.split", "jax.random.fold_in", "jax.random.*", "torch.randn", "torch.rand", "torch.randint",
        "torch.randperm", "torch.multinomial", "numpy.random.*", "torch.nn.Dropout",
    ),
    "checkpoint": (
        "torch.save", "torch.distributed.checkpoint.save", "torch.distributed.checkpoint.async_save",
        ".save_checkpoint",
        ".save_state", ".save_pretrained", ".save_model", "orbax.checkpoint.*", "flax.training.checkpoints.*",
        "flax.serialization.to_bytes", "jax.experimental.array_serialization.*", "safetensors.torch.save_file",
    ),
    "resume": (
        "torch.load", "torch.distributed.checkpoint.load", ".load_checkpoint", ".load_state", ".load_state_dict",
        "flax.training.checkpoints.restore_checkpoint", ".restore",
    ),
    "log": (
        "wandb.init", "torch.utils.tensorboard.SummaryWriter", "tensorboardX.SummaryWriter", "mlflow.start_run",
        "comet_ml.Experiment", ".init_trackers", "logging.getLogger", "print",
    ),
    "collective": (
        "torch.distributed.all_reduce", "torch.distributed.barrier", "torch.distributed.broadcast",
        "torch.distributed.all_gather*", "torch.distributed.reduce*", "torch.distributed.gather*",
        "torch.distributed.broadcast_object_list", "torch.distributed.checkpoint.*", "jax.lax.psum", "jax.lax.pmean",
        "jax.lax.all_gather", "jax.experimental.multihost_utils.*", ".wait_for_everyone", ".gather_for_metrics",
        "torch.nn.parallel.DistributedDataParallel", "torch.distributed.fsdp.*", "jax.pmap", "jax.jit",
    ),
    "environment": ("os.environ", "os.putenv"),
}  # fmt: skip
# `i % process_count == process_index`, `reader(path, rank, world_size)`: data shared out by hand.
RANK_WORDS = frozenset({"rank", "global_rank", "process_index", "process_id", "host_id", "shard_id", "shard_index",
    "dp_rank",
                        "data_parallel_rank", "worker_rank", "node_rank", "get_rank"})  # fmt: skip
COUNT_WORDS = frozenset({"world_size", "process_count", "num_processes", "num_hosts", "num_shards", "shard_count",
    "dp_size",
                         "dp_world_size", "data_parallel_size", "num_replicas", "get_world_size",
                         "host_count"})  # fmt: skip
# What a program that says how many hosts it is meant for calls them.
HOSTS_STATED = frozenset(
    {"JAX_PROCESS_COUNT", "JAX_NUM_PROCESSES", "NUM_HOSTS", "NUM_PROCESSES", "NNODES", "WORLD_SIZE"}
)
