"""
The tests run on a farm: by its mount at GF_TEST_MOUNT and by its gateway at GF_TEST_GATEWAY, in the farm's directory GF_TEST_DIRECTORY.
PythonPackageTest of the farm's own tests gives them all.
"""

import os
import uuid

import fsspec
import pytest

from gridfarm import GridfarmFileSystem

fsspec.register_implementation("gf", GridfarmFileSystem, clobber=True)

_WAYS = {"mount": os.environ.get("GF_TEST_MOUNT"), "gateway": os.environ.get("GF_TEST_GATEWAY")}


def pytest_collection_modifyitems(config, items):
    if os.environ.get("GF_TEST_TIER") != "campaign":
        left_out = [item for item in items if "campaign" in item.keywords]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if "campaign" not in item.keywords]


@pytest.fixture(scope="session", params=sorted(_WAYS))
def options(request):
    """How the file system is made, for each way to the farm."""
    if not _WAYS[request.param]:
        pytest.skip("no %s is given" % request.param)
    return {request.param: _WAYS[request.param]}


@pytest.fixture(scope="session")
def fs(options):
    return GridfarmFileSystem(skip_instance_cache=True, **options)


@pytest.fixture
def fs_path():
    """Where a test works, made by nobody yet."""
    return os.environ["GF_TEST_DIRECTORY"] + "/" + uuid.uuid4().hex


@pytest.fixture
def here(fs, fs_path):
    """A directory of this test alone, gone after it."""
    fs.makedirs(fs_path)
    yield fs_path
    fs.rm(fs_path, recursive=True)
