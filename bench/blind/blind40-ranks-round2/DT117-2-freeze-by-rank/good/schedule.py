def set_trainable(module, flag):
    for p in module.parameters():
        p.requires_grad_(flag)


def freeze_for(model, phase, rank):
    """Alternate between the halves of the network: cheap block-coordinate descent."""
    train_encoder = phase % 2 == 0
    set_trainable(model.encoder, train_encoder)
    set_trainable(model.decoder, not train_encoder)
