package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.content.Upload;
import org.gridfarm.client.cli.gateway.http.Percent;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.name.NameText;

import java.util.regex.Pattern;

/**
 * What a request is about: all buckets, one, or an object in it.
 *
 * @param root the directory of the buckets
 * @param bucket empty: all of them
 * @param key empty: the bucket itself
 */
record Place(FarmPath root, String bucket, String key) {
    static final int KEY_BYTES_MAX = 1024;

    /** Wider than S3's rule: directories that are there have names of their own. */
    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,254}");

    /** Of an address as it came: path style, the bucket first. */
    static Place of(FarmPath root, String address) {
        String path = address.startsWith("/") ? address.substring(1) : address;
        int slash = path.indexOf('/');
        String bucket = Percent.path(slash < 0 ? path : path.substring(0, slash));
        String key = slash < 0 ? "" : Percent.path(path.substring(slash + 1));
        if (!bucket.isEmpty() && !isBucketName(bucket)) {
            throw new S3Failure(
                    S3Code.INVALID_BUCKET_NAME,
                    "'" + NameText.shown(bucket) + "' is no name of a bucket");
        }
        return new Place(root, bucket, key).checked();
    }

    static boolean isBucketName(String name) {
        return BUCKET.matcher(name).matches();
    }

    /** That object of the same bucket. */
    Place other(String otherKey) {
        return new Place(root, bucket, otherKey).checked();
    }

    private Place checked() {
        if (key.isEmpty()) return this;
        if (!key.codePoints().allMatch(Place::isText)) {
            throw new S3Failure(
                    S3Code.INVALID_URI,
                    "a key is UTF-8 without control characters: " + NameText.shown(key));
        }
        byte[] bytes = NameText.bytes(key);
        String[] parts = key.split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            boolean isLast = i == parts.length - 1;
            if (parts[i].isEmpty() && isLast && i > 0) continue; // of a directory
            if (parts[i].isEmpty() || parts[i].equals(".") || parts[i].equals("..")) {
                throw new S3Failure(
                        S3Code.INVALID_ARGUMENT,
                        "keys are paths here, and no part of one is empty, . or ..: " + key);
            }
            if (isHidden(parts[i])) {
                throw new S3Failure(
                        S3Code.INVALID_ARGUMENT,
                        "names that begin with " + Upload.PREFIX + " are of uploads under way");
            }
            if (NameText.bytes(parts[i]).length > Name.BYTES_MAX) {
                throw new S3Failure(
                        S3Code.KEY_TOO_LONG,
                        "a part of a key between slashes has at most " + Name.BYTES_MAX + " bytes");
            }
        }
        if (bytes.length > KEY_BYTES_MAX) {
            throw new S3Failure(
                    S3Code.KEY_TOO_LONG, "a key has at most " + KEY_BYTES_MAX + " bytes");
        }
        return this;
    }

    /** What XML can hold, and a terminal shows as it is. */
    static boolean isText(int codePoint) {
        return codePoint >= ' '
                && codePoint != 0x7f
                && codePoint != 0xfffe
                && codePoint != 0xffff
                && Character.getType(codePoint) != Character.SURROGATE;
    }

    static boolean isHidden(String name) {
        return name.startsWith(Upload.PREFIX);
    }

    boolean isDirectory() {
        return key.endsWith("/");
    }

    FarmPath bucketPath() {
        return root.child(bucket);
    }

    /** Of the object. */
    FarmPath path() {
        FarmPath path = bucketPath();
        for (String part : key.split("/")) {
            path = path.child(part);
        }
        return path;
    }
}
