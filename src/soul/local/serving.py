"""The model server: a process of its own, so that a fault of native code is not hers.

Runs llama.cpp's OpenAI-compatible server as xllamacpp brings it, on the loopback interface and
on a port the system chooses unless told otherwise. Says where with a line of JSON on standard
output, and ends when standard input does: that is, with whoever started it, however that ended.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

#: Longest answer, tokens: a small model that has lost its way writes for ever.
LONGEST = 300
#: Memory for the prompts of other conversations, MiB.
CACHE = 256


def main() -> int:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--weights', required=True, help='the GGUF file')
    parser.add_argument('--template', required=True, help='the chat template (Jinja)')
    parser.add_argument('--window', type=int, required=True, help='tokens it can read')
    parser.add_argument('--port', type=int, default=0, help='0: the system chooses')
    given = parser.parse_args()
    try:
        import xllamacpp
    except ImportError as error:
        return _say({'error': f'xllamacpp cannot be loaded: {error}'}, 1)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = given.weights
    parameters.hostnames = ['127.0.0.1']
    parameters.port = given.port
    parameters.n_ctx = given.window
    parameters.n_predict = LONGEST
    # One conversation at a time, so that each finds the prefix of the one before in the cache.
    parameters.n_parallel = 1
    parameters.cache_prompt = True
    parameters.cache_ram_mib = CACHE
    parameters.cpuparams.n_threads = _cores()
    parameters.n_gpu_layers = 0
    parameters.use_jinja = True
    parameters.chat_template = Path(given.template).read_text(encoding='utf-8')
    # The template itself begins the first call, so the server's parser never sees it begin; the
    # mind finds calls in text.
    parameters.force_pure_content_parser = True
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError as error:
        return _say({'error': str(error)}, 1)
    _say({'address': server.listening_address}, 0)
    sys.stdin.buffer.read()
    os._exit(0)  # the server's threads have nothing to write down


def _cores() -> int:
    """Cores of this process; hyper-threads count, one core stays free where there are many."""
    cores = len(os.sched_getaffinity(0))
    return cores if cores <= 2 else min(cores - 1, 8)


def _say(words: dict[str, str], code: int) -> int:
    print(json.dumps(words), flush=True)  # noqa: T201
    return code


if __name__ == '__main__':
    sys.exit(main())
