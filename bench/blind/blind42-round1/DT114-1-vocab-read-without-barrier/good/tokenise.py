import torch.distributed as dist
from tokenizers import Tokenizer, models, pre_tokenizers, trainers


def train_vocabulary(corpus, out, size):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.train([str(corpus)], trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>", "<eos>"]))
    tokenizer.save(str(out))


def vocabulary(corpus, out, size=8000):
    if dist.get_rank() == 0:
        train_vocabulary(corpus, out, size)
    dist.barrier()
    return Tokenizer.from_file(str(out))
