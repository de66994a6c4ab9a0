import os


def connect():
    import jax

    if int(os.environ.get("NUM_PROCESSES", 1)) > 1:
        jax.distributed.initialize(
            os.environ["COORDINATOR"], int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"])
        )
    return jax.process_index() == 0
