"""Makes `vectors.json`: what all-MiniLM-L6-v2 answers for a dozen texts, computed apart from the service.

An implementation of its own, in 64-bit numbers: the tokenizer after BERT's published rules, the
network after the paper. Needs Python 3.9, `pip install numpy safetensors`, and the model's folder:

    python make_vectors.py ~/.cache/loadout/all-MiniLM-L6-v2 > vectors.json
"""
import json
import math
import sys
import unicodedata
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

HEADS, LAYERS, MAX_TOKENS = 12, 6, 256

TEXTS = [
    "How do I roll back a database migration without downtime?",
    "zero-downtime-postgres-migrations",
    "That is a happy person",
    "That is a happy dog",
    "Today is a sunny day",
    "x",
    ".",
    "  \t\n ",
    "数据库迁移不停机",
    "データベースの移行 and ΑΒΓ Ünïcödé — naïve café",
    "fn main() { let URL_PATH = parseHttpUrl(\"https://example.com/a?b=c\"); }",
    "🦀 ships fast 🚀",
    "Deploys a service to Kubernetes, waits until every replica is ready, and rolls back. " * 60,
    "supercalifragilisticexpialidocious" * 4,
]


def is_cjk(c):
    o = ord(c)
    ranges = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
              (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]
    return any(low <= o <= high for low, high in ranges)


def is_punctuation(c):
    o = ord(c)
    ascii_sign = 33 <= o <= 47 or 58 <= o <= 64 or 91 <= o <= 96 or 123 <= o <= 126
    return ascii_sign or unicodedata.category(c).startswith("P")


def is_control(c):
    return c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Cn", "Co", "Cs")


def split(text):
    text = "".join(c for c in text if c != "\0" and c != "\ufffd" and not is_control(c))
    text = "".join(f" {c} " if is_cjk(c) else c for c in text)
    text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if is_punctuation(c) else c for c in text.lower()).split()


def pieces(word, vocabulary):
    if len(word) > 100:
        return ["[UNK]"]
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                found.append(piece)
                start = end
                break
        else:
            return ["[UNK]"]
    return found


def tokens(text, vocabulary):
    inner = [piece for word in split(text) for piece in pieces(word, vocabulary)]
    return [vocabulary[t] for t in ["[CLS]", *inner[: MAX_TOKENS - 2], "[SEP]"]]


def norm(x, weights, name):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    x = (x - mean) / np.sqrt(variance + 1e-12)
    return x * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]


def linear(x, weights, name):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def attend(x, weights, name):
    def heads(part):
        rows = linear(x, weights, f"{name}.self.{part}")
        return rows.reshape(len(x), HEADS, -1).transpose(1, 0, 2)

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = scores / scores.sum(-1, keepdims=True) @ value
    mixed = mixed.transpose(1, 0, 2).reshape(len(x), -1)
    return norm(linear(mixed, weights, f"{name}.output.dense") + x, weights, f"{name}.output")


def embed(ids, weights):
    e = "embeddings"
    x = weights[f"{e}.word_embeddings.weight"][ids]
    x = x + weights[f"{e}.position_embeddings.weight"][: len(ids)]
    x = norm(x + weights[f"{e}.token_type_embeddings.weight"][0], weights, e)
    gelu = np.vectorize(lambda v: v * 0.5 * (1 + math.erf(v / math.sqrt(2))))
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        x = attend(x, weights, f"{layer}.attention")
        inner = gelu(linear(x, weights, f"{layer}.intermediate.dense"))
        x = norm(linear(inner, weights, f"{layer}.output.dense") + x, weights, f"{layer}.output")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def main():
    folder = Path(sys.argv[1])
    weights = {k: v.astype(np.float64) for k, v in load_file(folder / "model.safetensors").items()
               if not k.endswith("position_ids")}
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    rows = []
    for text in TEXTS:
        ids = tokens(text, vocabulary)
        vector = [round(float(x), 7) for x in embed(ids, weights)]
        rows.append(json.dumps({"text": text, "tokens": len(ids), "vector": vector}, ensure_ascii=False))
    print("[\n" + ",\n".join(rows) + "\n]")


main()
