import orbax.checkpoint as ocp


class Store:
    def __init__(self, directory):
        self.manager = ocp.CheckpointManager(directory, options=ocp.CheckpointManagerOptions(max_to_keep=3))

    def latest(self, template):
        step = self.manager.latest_step()
        if step is None:
            return 0, template
        return step, self.manager.restore(step, args=ocp.args.StandardRestore(template))

    def save(self, step, state):
        self.manager.save(step, args=ocp.args.StandardSave(state))

    def close(self):
        self.manager.wait_until_finished()
        self.manager.close()
