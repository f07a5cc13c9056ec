"""A small language model of this machine: its weights, the server, what the mind needs to know.

Everything comes as Python packages, so that whoever can install her can also let her think.
"""

from soul.local.errors import LocalModelError
from soul.local.kept_server import KeptServer
from soul.local.server import ModelServer
from soul.local.settings import settings
from soul.local.weights import Weights

__all__ = ['KeptServer', 'LocalModelError', 'ModelServer', 'Weights', 'settings']
