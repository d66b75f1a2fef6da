"""fsspec's own tests of implementations."""

import fsspec.tests.abstract as abstract
import pytest


class Fixtures(abstract.AbstractFixtures):
    @pytest.fixture(scope="class")
    def fs(self, options):
        from gridfarm import GridfarmFileSystem

        return GridfarmFileSystem(auto_mkdir=True, skip_instance_cache=True, **options)

    @pytest.fixture
    def fs_path(self, here):
        return here


class TestCopy(abstract.AbstractCopyTests, Fixtures):
    pass


class TestGet(abstract.AbstractGetTests, Fixtures):
    pass


class TestPut(abstract.AbstractPutTests, Fixtures):
    pass


class TestPipe(abstract.AbstractPipeTests, Fixtures):
    pass


class TestOpen(abstract.AbstractOpenTests, Fixtures):
    pass
