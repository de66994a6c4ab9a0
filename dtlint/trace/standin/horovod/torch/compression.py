"""Which compression a script asks for makes no difference here."""


class Compression:
    none = "none"
    fp16 = "fp16"
