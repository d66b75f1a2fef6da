"""A Gridfarm as a file system of fsspec: ``gf://`` paths for pandas, Dask, Zarr, Arrow and others."""

from gridfarm.filesystem import GridfarmFileSystem

__all__ = ["GridfarmFileSystem"]
__version__ = "0.1.0.dev0"
