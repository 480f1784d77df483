"""A transformer as the daemon runs one: model.onnx and tokenizer.json in a folder, texts cut at 512 tokens and run one at a
time, the mean of all tokens. Needs onnxruntime and tokenizers.
"""
import functools

import numpy as np

TOKENS = 512


class Transformer:
    def __init__(self, folder, tokens=TOKENS):
        self.folder, self.tokens = folder, int(tokens)

    @functools.cached_property
    def opened(self):
        """Opened at first use, because the threads of a session do not survive a fork."""
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        tokenizer = Tokenizer.from_file(f"{self.folder}/tokenizer.json")
        tokenizer.enable_truncation(self.tokens)
        tokenizer.no_padding()
        return tokenizer, onnxruntime.InferenceSession(f"{self.folder}/model.onnx", options, providers=["CPUExecutionProvider"])

    def vector(self, text):
        tokenizer, session = self.opened
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, given)[0][0].mean(0)
        return mean / np.linalg.norm(mean)

    def vectors(self, texts, asks):
        return np.stack([self.vector(text) for text in texts])
