class OnlyLead:
    """Forwards attribute calls on the lead rank; elsewhere they do nothing."""

    def __init__(self, target, lead):
        self._target, self._lead = target, lead

    def save_checkpoint(self, *args, **kwargs):
        if self._lead:
            return self._target.save_checkpoint(*args, **kwargs)

    def say(self, text):
        if self._lead:
            print(text, flush=True)
