"""Tests that one kind of system cannot run."""

from __future__ import annotations

import os

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files, signals or terminals")
