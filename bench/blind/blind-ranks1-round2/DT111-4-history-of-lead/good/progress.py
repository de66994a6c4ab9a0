from dataclasses import dataclass, field


@dataclass
class Progress:
    main: bool
    history: list = field(default_factory=list)

    def line(self, epoch, loss):
        self.history.append(loss)
        if self.main:
            print(f"{epoch:3d}  {loss:.4f}")

    def plateau(self, span=3):
        recent = self.history[-span:]
        return len(recent) == span and max(recent) - min(recent) < 1e-3
