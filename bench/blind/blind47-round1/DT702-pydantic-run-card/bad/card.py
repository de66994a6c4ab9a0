from settings import Settings


def write_card(settings: Settings, parameters: int) -> None:
    settings.out.mkdir(parents=True, exist_ok=True)
    body = settings.model_dump_json(indent=2)
    (settings.out / "card.md").write_text(f"# Run\n\n{parameters} parameters\n\n```json\n{body}\n```\n")
