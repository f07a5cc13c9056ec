"""Package soul for colcon and pip; what it needs is listed in requirements/runtime.txt."""

import runpy
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

# colcon links this file into its build directory: the lists are beside the real one
ROOT = Path(__file__).resolve().parent

# The node table imports nothing, so it can be read before anything is installed.
TABLE = runpy.run_path(str(ROOT / 'src' / 'soul' / 'graph.py'))
# So can what voice and ears need: one list for pip, setup.py and people.
VOICE = runpy.run_path(str(ROOT / 'src' / 'soul' / 'voice' / 'packages.py'))
# Each is a name in soul/entry.py.
EXECUTABLES = ('soul', 'composition', *(node.name for node in TABLE['NODES']))


def requirements(name):
    """Read one of the requirement files, without its comments."""
    lines = (ROOT / 'requirements' / f'{name}.txt').read_text().splitlines()
    return [line.split('#')[0].strip() for line in lines if line.split('#')[0].strip()]


def shared(folder):
    """Return data_files entries that keep the folder's layout below share/soul."""
    files = {}
    for path in sorted(glob(f'{folder}/**', recursive=True)):
        if Path(path).is_file() and '__pycache__' not in path:
            files.setdefault(str(Path('share/soul') / Path(path).parent), []).append(path)
    return list(files.items())


setup(
    name='soul',
    version='0.1.0',
    description='A persistent persona that lives on a robot',
    license='Apache-2.0',
    author='soul maintainers',
    author_email='maintainers@soul-robot.org',
    maintainer='soul maintainers',
    maintainer_email='maintainers@soul-robot.org',
    python_requires='>=3.10',
    package_dir={'': 'src'},
    # soul_msgs beside it is a package of its own, built by ament_cmake
    packages=find_packages('src', include=['soul', 'soul.*']),
    include_package_data=False,
    package_data={
        '': ['*.html', '*.css', '*.js', '*.json', '*.yaml', '*.md', '*.txt', '*.svg', 'py.typed']
    },
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/soul']),
        ('share/soul', ['package.xml']),
        *shared('launch'),
        *shared('config'),
    ],
    zip_safe=False,
    install_requires=['setuptools', *requirements('runtime')],
    extras_require={
        'test': requirements('test'),
        'dev': requirements('dev'),
        # MiniLM as people know it: over 1 GB with torch; install a CPU torch first
        'embeddings': ['sentence-transformers>=3.0,<7'],
        # the same model by onnxruntime: a quarter of that, no torch
        'embeddings-lite': ['onnxruntime>=1.17,<2', 'tokenizers>=0.15,<1'],
        # a device that nobody here wrote, for some tests
        'xiaozhi-peer': ['xiaozhi-sdk>=0.5,<1'],
        'model-sdks': ['openai>=3,<4', 'anthropic>=2,<3', 'google-genai>=3,<4'],
        # tools of MCP servers
        'mcp': ['mcp>=2,<3'],
        # a small language model of this machine
        'local': ['xllamacpp>=2026.10,<2028'],
        'figures': ['matplotlib>=3.7,<4'],
        # voice and ears: English, Japanese, Chinese; `soul voice install` also checks the sums
        **VOICE['extras'](),
    },
    entry_points={
        'console_scripts': [f'{name} = soul.entry:{name}' for name in EXECUTABLES],
    },
)
