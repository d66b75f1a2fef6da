#!/usr/bin/env python3
"""s3.py ENDPOINT CA KEY SECRET OTHER-KEY OTHER-SECRET: an endpoint of S3 as boto3 sees it. Prints one line for each case."""
import datetime
import io
import os
import sys
import time
import urllib.error
import urllib.request

import boto3
import boto3.s3.transfer
import botocore.auth
import botocore.client
import botocore.exceptions

ENDPOINT, CA, KEY, SECRET, OTHER_KEY, OTHER_SECRET = sys.argv[1:]
BUCKET = "boto"


def client(key=KEY, secret=SECRET, **more):
    more.setdefault("signature_version", "s3v4")  # for addresses, which are signed by version 2 otherwise
    config = botocore.client.Config(retries={"max_attempts": 1}, s3={"addressing_style": "path"}, **more)
    return boto3.client(
        "s3", endpoint_url=ENDPOINT, verify=CA or None, region_name="us-east-1", config=config,
        aws_access_key_id=key, aws_secret_access_key=secret)


s3 = client()


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as e:
        assert e.response["Error"]["Code"] == code, (code, e.response)
        return e.response
    raise AssertionError(f"{code} expected of {arguments}")


def put(key, body=b"x", **more):
    return s3.put_object(Bucket=BUCKET, Key=key, Body=body, **more)


def get(key, **more):
    return s3.get_object(Bucket=BUCKET, Key=key, **more)["Body"].read()


def keys(**arguments):
    found = s3.list_objects_v2(Bucket=BUCKET, **arguments)
    return [each["Key"] for each in found.get("Contents", [])], [
        each["Prefix"] for each in found.get("CommonPrefixes", [])]


def buckets():
    s3.create_bucket(Bucket=BUCKET)
    refused("BucketAlreadyExists", s3.create_bucket, Bucket=BUCKET)
    assert BUCKET in [each["Name"] for each in s3.list_buckets()["Buckets"]]
    s3.head_bucket(Bucket=BUCKET)
    refused("404", s3.head_bucket, Bucket="nothing")
    refused("NoSuchBucket", s3.list_objects_v2, Bucket="nothing")
    refused("NoSuchBucket", s3.put_object, Bucket="nothing", Key="k", Body=b"")
    assert s3.get_bucket_location(Bucket=BUCKET)["LocationConstraint"] is None
    put("full")
    refused("BucketNotEmpty", s3.delete_bucket, Bucket=BUCKET)
    s3.delete_object(Bucket=BUCKET, Key="full")


def one_object():
    made = put("one", b"0123456789", ContentType="text/plain", Metadata={"colour": "red"})
    head = s3.head_object(Bucket=BUCKET, Key="one")
    assert head["ETag"] == made["ETag"] and head["ContentLength"] == 10, head
    assert head["ContentType"] == "text/plain" and head["Metadata"] == {"colour": "red"}, head
    assert get("one") == b"0123456789"
    assert get("one", Range="bytes=2-4") == b"234" and get("one", Range="bytes=-3") == b"789"
    refused("InvalidRange", s3.get_object, Bucket=BUCKET, Key="one", Range="bytes=10-")
    refused("NoSuchKey", s3.get_object, Bucket=BUCKET, Key="none")
    refused("404", s3.head_object, Bucket=BUCKET, Key="none")
    refused("304", s3.get_object, Bucket=BUCKET, Key="one", IfNoneMatch=made["ETag"])
    refused("PreconditionFailed", s3.get_object, Bucket=BUCKET, Key="one", IfMatch='"x"')
    assert get("one", IfMatch=made["ETag"]) == b"0123456789"
    assert put("one", b"again")["ETag"] != made["ETag"] and get("one") == b"again"
    for algorithm in "CRC32", "SHA1", "SHA256":
        put("summed", b"summed", ChecksumAlgorithm=algorithm)
    put("empty", b"")
    assert get("empty") == b""
    for key in "empty", "one", "summed", "one":
        s3.delete_object(Bucket=BUCKET, Key=key)
    assert keys() == ([], [])


def conditions():
    made = put("c", b"1", IfNoneMatch="*")
    refused("PreconditionFailed", put, key="c", body=b"2", IfNoneMatch="*")
    refused("PreconditionFailed", put, key="c", body=b"2", IfMatch='"x"')
    put("c", b"3", IfMatch=made["ETag"])
    assert get("c") == b"3"
    s3.delete_object(Bucket=BUCKET, Key="c")


def listings():
    names = ["a.txt", "a/1", "a/2", "a/b/3", "a0", "b/", "c d/e+f&g", "\u00e4/\u20ac"]
    for name in names:
        put(name, b"" if name.endswith("/") else b"x")
    assert keys() == (sorted(names, key=str.encode), []), keys()
    assert keys(Delimiter="/") == (["a.txt", "a0"], ["a/", "b/", "c d/", "\u00e4/"])
    assert keys(Delimiter="/", Prefix="a/") == (["a/1", "a/2"], ["a/b/"])
    assert keys(Prefix="a/b") == (["a/b/3"], []) and keys(Prefix="b/") == (["b/"], [])
    assert keys(Prefix="../") == ([], []) and keys(Prefix="none/") == ([], [])
    assert keys(StartAfter="a/2") == (sorted(names, key=str.encode)[3:], [])
    for more in {}, {"Delimiter": "/"}:
        for kind in "list_objects_v2", "list_objects":
            for size in 1, 2, 3:
                found = []
                for page in s3.get_paginator(kind).paginate(
                        Bucket=BUCKET, PaginationConfig={"PageSize": size}, **more):
                    some = [each["Key"] for each in page.get("Contents", [])] + [
                        each["Prefix"] for each in page.get("CommonPrefixes", [])]
                    assert len(some) <= size
                    found += some
                whole = keys(**more)
                assert sorted(found, key=str.encode) == sorted(whole[0] + whole[1], key=str.encode), (kind, size, found)
    refused("NotImplemented", s3.list_objects_v2, Bucket=BUCKET, Delimiter="-")
    gone = s3.delete_objects(Bucket=BUCKET, Delete={
        "Objects": [{"Key": name} for name in names + ["never/was", "../up"]]})
    assert [each["Key"] for each in gone["Errors"]] == ["../up"], gone
    assert keys() == ([], []) and keys(Delimiter="/") == ([], [])


def large():
    """A bucket that is there already, of so many names that their order is remembered."""
    whole = sorted(f"f{n}" for n in range(1, 2101))

    def listed(**more):
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket="large", **more)
        return [each["Key"] for page in pages for each in page.get("Contents", [])]

    assert listed() == whole and listed() == whole and listed(Delimiter="/") == whole
    assert listed(Prefix="f20") == [name for name in whole if name.startswith("f20")]
    assert listed(StartAfter="f1999") == [name for name in whole if name > "f1999"]
    s3.put_object(Bucket="large", Key="f2x/in", Body=b"")
    assert listed() == sorted(whole + ["f2x/in"])
    assert listed(StartAfter="f2x/a") == ["f2x/in"] + [name for name in whole if name > "f2x"]
    s3.delete_object(Bucket="large", Key="f2x/in")
    assert listed() == whole
    for at in range(0, len(whole), 1000):
        some = [{"Key": name} for name in whole[at:at + 1000]]
        assert "Errors" not in s3.delete_objects(Bucket="large", Delete={"Objects": some, "Quiet": True})
    s3.delete_bucket(Bucket="large")


def names():
    put("d/e")
    refused("KeyConflict", put, key="d")
    refused("KeyConflict", put, key="d/e/f")
    refused("NoSuchKey", get, key="d")
    refused("NoSuchKey", get, key="d/e/f")
    s3.delete_object(Bucket=BUCKET, Key="d")
    assert keys() == (["d/e"], [])
    for key in "a//b", "a/../b", "./a", "/a", ".upload.x", "a\x01":
        assert refused("InvalidArgument" if "\x01" not in key else "InvalidURI", put, key=key)
    refused("KeyTooLongError", put, key="k" * 256)
    # What is no UTF-8 boto3 does not send: as an address that is signed.
    address = s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "%ff"})
    assert status(address.replace("%25ff", "%ff")) in (400, 403)
    s3.delete_object(Bucket=BUCKET, Key="d/e")
    refused("InvalidArgument", put, key="kept/")
    put("kept/", b"")
    put("kept/f")
    s3.delete_object(Bucket=BUCKET, Key="kept/f")
    assert keys() == (["kept/"], [])
    s3.delete_object(Bucket=BUCKET, Key="kept/")
    assert keys() == ([], [])


def status(address, **more):
    import ssl
    try:
        context = ssl.create_default_context(cafile=CA) if CA else None
        with urllib.request.urlopen(urllib.request.Request(address, **more), context=context) as answer:
            return answer.status
    except urllib.error.HTTPError as e:
        return e.code


def addresses():
    put("signed", b"signed")
    there = {"Bucket": BUCKET, "Key": "signed"}
    address = s3.generate_presigned_url("get_object", Params=there, ExpiresIn=60)
    assert status(address) == 200
    assert status(address.replace("signed", "other")) == 403
    assert status(s3.generate_presigned_url("put_object", Params=there), method="PUT", data=b"put") == 200
    assert get("signed") == b"put"
    assert status(f"{ENDPOINT}/{BUCKET}/signed") == 403 and status(ENDPOINT) == 403
    s3.delete_object(Bucket=BUCKET, Key="signed")


def copies():
    put("from/it", b"0123456789" * 100, ContentType="text/plain", Metadata={"a": "b"})
    source = {"Bucket": BUCKET, "Key": "from/it"}
    s3.copy_object(Bucket=BUCKET, Key="to/it", CopySource=source)
    assert get("to/it") == b"0123456789" * 100
    assert s3.head_object(Bucket=BUCKET, Key="to/it")["Metadata"] == {"a": "b"}
    s3.copy_object(Bucket=BUCKET, Key="from/it", CopySource=source, MetadataDirective="REPLACE", Metadata={"c": "d"})
    assert s3.head_object(Bucket=BUCKET, Key="from/it")["Metadata"] == {"c": "d"}
    refused("InvalidRequest", s3.copy_object, Bucket=BUCKET, Key="from/it", CopySource=source)
    refused("NoSuchKey", s3.copy_object, Bucket=BUCKET, Key="x", CopySource=f"{BUCKET}/none")
    refused("PreconditionFailed", s3.copy_object, Bucket=BUCKET, Key="x", CopySource=source, CopySourceIfMatch='"x"')
    for key in "from/it", "to/it":
        s3.delete_object(Bucket=BUCKET, Key=key)


def parts():
    content = os.urandom(6 << 20)
    small = boto3.s3.transfer.TransferConfig(multipart_threshold=1 << 20, multipart_chunksize=5 << 20)
    s3.upload_fileobj(io.BytesIO(content), BUCKET, "big", Config=small, ExtraArgs={"Metadata": {"m": "1"}})
    assert get("big") == content
    assert s3.head_object(Bucket=BUCKET, Key="big")["Metadata"] == {"m": "1"}
    s3.copy({"Bucket": BUCKET, "Key": "big"}, BUCKET, "bigger", Config=small)
    into = io.BytesIO()
    s3.download_fileobj(BUCKET, "bigger", into, Config=small)
    assert into.getvalue() == content

    there = {"Bucket": BUCKET, "Key": "by/hand"}
    upload = s3.create_multipart_upload(**there, ContentType="text/x")["UploadId"]
    tags = [s3.upload_part(**there, UploadId=upload, PartNumber=n, Body=b"%d" % n)["ETag"] for n in (3, 1, 2)]
    tags = {3: tags[0], 1: tags[1], 2: tags[2]}
    assert [p["PartNumber"] for p in s3.list_parts(**there, UploadId=upload)["Parts"]] == [1, 2, 3]
    assert "by/hand" not in keys()[0]
    refused("NoSuchKey", get, key="by/hand")

    def complete(*numbers, **more):
        return s3.complete_multipart_upload(**there, UploadId=upload, MultipartUpload={
            "Parts": [{"PartNumber": n, "ETag": tags.get(n, '"x"')} for n in numbers]}, **more)

    for code, wrong in ("InvalidPartOrder", (2, 1)), ("InvalidPart", (1, 4)):
        try:
            complete(*wrong)
            raise AssertionError(code)
        except botocore.exceptions.ClientError as e:
            assert e.response["Error"]["Code"] == code, e.response
    complete(1, 3)
    assert get("by/hand") == b"13"
    refused("NoSuchUpload", s3.list_parts, **there, UploadId=upload)
    upload = s3.create_multipart_upload(**there)["UploadId"]
    s3.upload_part(**there, UploadId=upload, PartNumber=1, Body=b"gone")
    s3.abort_multipart_upload(**there, UploadId=upload)
    refused("NoSuchUpload", s3.upload_part, **there, UploadId=upload, PartNumber=1, Body=b"gone")
    assert get("by/hand") == b"13"
    for key in "big", "bigger", "by/hand":
        s3.delete_object(Bucket=BUCKET, Key=key)


def strangers():
    refused("InvalidAccessKeyId", client(key="NOBODYATALL").list_buckets)
    refused("SignatureDoesNotMatch", client(secret="another secret key").list_buckets)
    refused("AccessDenied", client(signature_version=botocore.UNSIGNED).list_buckets)
    put("mine", b"mine")
    other = client(OTHER_KEY, OTHER_SECRET)
    assert other.get_object(Bucket=BUCKET, Key="mine")["Body"].read() == b"mine"
    refused("AccessDenied", other.put_object, Bucket=BUCKET, Key="theirs", Body=b"")
    refused("AccessDenied", other.delete_object, Bucket=BUCKET, Key="mine")
    # A clock that is an hour late.
    real = botocore.auth.get_current_datetime

    def late(*arguments, **more):
        return real(*arguments, **more) - datetime.timedelta(hours=1)

    botocore.auth.get_current_datetime = late
    refused("RequestTimeTooSkewed", s3.list_buckets)
    botocore.auth.get_current_datetime = real
    s3.delete_object(Bucket=BUCKET, Key="mine")


def not_offered():
    refused("NotImplemented", s3.get_bucket_acl, Bucket=BUCKET)
    refused("NotImplemented", put, key="k", ACL="public-read")
    refused("NotImplemented", put, key="k", ServerSideEncryption="AES256")
    assert "Status" not in s3.get_bucket_versioning(Bucket=BUCKET)


def end():
    assert keys() == ([], []), keys()
    s3.delete_bucket(Bucket=BUCKET)


for case in (buckets, one_object, conditions, listings, large, names, addresses, copies, parts, strangers, not_offered, end):
    began = time.monotonic()
    case()
    print("ok", case.__name__, f"{time.monotonic() - began:.1f} s", flush=True)
