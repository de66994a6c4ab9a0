import orbax.checkpoint as ocp


class Store:
    def __init__(self, folder, every, keep=2):
        options = ocp.CheckpointManagerOptions(max_to_keep=keep, save_interval_steps=every)
        self.manager = ocp.CheckpointManager(folder, options=options)

    def restore(self, state):
        step = self.manager.latest_step()
        if step is None:
            return 0, state
        return step, self.manager.restore(step, args=ocp.args.StandardRestore(state))

    def save(self, step, state):
        self.manager.save(step, args=ocp.args.StandardSave(state))

    def close(self):
        self.manager.wait_until_finished()
        self.manager.close()
