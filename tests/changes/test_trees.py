"""No way to rename, copy, swap or move manifests gains a permission past `manifest diff --base`.

`python tests/changes/many.py trees 10000` tries more pairs of trees.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checkout import git
from trees import PROVIDERS, check_trees


@pytest.mark.parametrize("providers", PROVIDERS)
def test_every_new_permission_and_changed_id_of_a_pair_of_trees_is_told(
    providers: str, tmp_path: Path
) -> None:
    root = Path(os.path.realpath(tmp_path))
    git(root, "init", "-q")
    for seed in range(15):
        check_trees(root, seed, providers)
