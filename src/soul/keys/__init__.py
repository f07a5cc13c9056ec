"""Keys of providers, encrypted at rest."""

from soul.keys.key_ring import KeyRing
from soul.keys.key_store import Key, KeyStore
from soul.keys.master_key import MasterKey, MasterKeyError
from soul.keys.sealing import KeyFileError

__all__ = ['Key', 'KeyFileError', 'KeyRing', 'KeyStore', 'MasterKey', 'MasterKeyError']
