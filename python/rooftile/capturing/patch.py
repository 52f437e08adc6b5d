"""Patches that go when they are left."""

import contextlib


@contextlib.contextmanager
def method(cls, name, value):
    """cls.name is value, and then what cls had or inherited."""
    own = cls.__dict__.get(name)
    setattr(cls, name, value)
    try:
        yield
    finally:
        if own is None:
            delattr(cls, name)
        else:
            setattr(cls, name, own)
