import orbax.checkpoint as ocp


class Store:
    def __init__(self, root, keep=2):
        self.manager = ocp.CheckpointManager(root, options=ocp.CheckpointManagerOptions(max_to_keep=keep))

    def latest(self, like):
        step = self.manager.latest_step()
        if step is None:
            return like, 0
        return self.manager.restore(step, args=ocp.args.StandardRestore(like)), step + 1

    def put(self, step, state):
        self.manager.save(step, args=ocp.args.StandardSave(state))
