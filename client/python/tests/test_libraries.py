"""Libraries that people use it through, each over every way to the farm."""

import pytest


def test_pandas_csv(fs, here, options):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": range(1000), "b": ["x%d" % i for i in range(1000)]})
    url = "gf://" + here + "/frame.csv"
    frame.to_csv(url, index=False, storage_options=options)
    assert pandas.read_csv(url, storage_options=options).equals(frame)
    frame.to_csv(url + ".gz", index=False, storage_options=options)
    assert pandas.read_csv(url + ".gz", storage_options=options).equals(frame)


def test_pandas_parquet(fs, here, options):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": range(100_000), "b": [float(i) / 3 for i in range(100_000)]})
    url = "gf://" + here + "/frame.parquet"
    frame.to_parquet(url, storage_options=options)
    assert pandas.read_parquet(url, storage_options=options).equals(frame)
    part = pandas.read_parquet(url, columns=["b"], storage_options=options)
    assert list(part.columns) == ["b"]


def test_arrow_datasets(fs, here):
    arrow = pytest.importorskip("pyarrow")
    dataset = pytest.importorskip("pyarrow.dataset")
    table = arrow.table({"kind": ["a", "b"] * 500, "n": list(range(1000))})
    dataset.write_dataset(
        table, here + "/set", filesystem=fs, format="parquet", partitioning=["kind"], partitioning_flavor="hive"
    )
    read = dataset.dataset(here + "/set", filesystem=fs, partitioning="hive")
    assert read.count_rows() == 1000
    assert read.count_rows(filter=dataset.field("kind") == "a") == 500


def test_zarr(fs, here, options):
    zarr = pytest.importorskip("zarr")
    numpy = pytest.importorskip("numpy")
    url = "gf://" + here + "/array.zarr"
    options = dict(options, auto_mkdir=True)  # it knows object stores, which have no directories
    array = zarr.open_array(url, mode="w", shape=(100, 100), chunks=(30, 30), dtype="i4", storage_options=options)
    array[:] = numpy.arange(10_000).reshape(100, 100)
    again = zarr.open_array(url, mode="r", storage_options=options)
    assert (again[10:95, 5:99] == array[10:95, 5:99]).all()
    assert len(fs.find(here + "/array.zarr")) >= 16


@pytest.mark.campaign
def test_much_data_in_many_row_groups(fs, here):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"n": list(range(5_000_000)), "m": [i % 977 for i in range(5_000_000)]})
    parquet.write_table(table, here + "/much.parquet", filesystem=fs, row_group_size=100_000)
    file = parquet.ParquetFile(fs.open(here + "/much.parquet"))
    assert file.num_row_groups == 50
    assert file.read_row_group(49).column("n")[-1].as_py() == 4_999_999
    assert parquet.read_table(here + "/much.parquet", filesystem=fs).equals(table)
