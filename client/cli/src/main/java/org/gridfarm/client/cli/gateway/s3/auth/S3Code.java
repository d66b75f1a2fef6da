package org.gridfarm.client.cli.gateway.s3.auth;

/** What went wrong, in the words of S3 ("Error responses" in its API reference). */
public enum S3Code {
    ACCESS_DENIED("AccessDenied", 403),
    BAD_DIGEST("BadDigest", 400),
    BUCKET_ALREADY_EXISTS("BucketAlreadyExists", 409),
    BUCKET_NOT_EMPTY("BucketNotEmpty", 409),
    CONTENT_SHA256_MISMATCH("XAmzContentSHA256Mismatch", 400),
    ENTITY_TOO_LARGE("EntityTooLarge", 400),
    EXPIRED("AccessDenied", 403),
    HEADER_MALFORMED("AuthorizationHeaderMalformed", 400),
    INCOMPLETE_BODY("IncompleteBody", 400),
    INTERNAL_ERROR("InternalError", 500),
    INVALID_ACCESS_KEY_ID("InvalidAccessKeyId", 403),
    INVALID_ARGUMENT("InvalidArgument", 400),
    INVALID_BUCKET_NAME("InvalidBucketName", 400),
    INVALID_PART("InvalidPart", 400),
    INVALID_PART_ORDER("InvalidPartOrder", 400),
    INVALID_RANGE("InvalidRange", 416),
    INVALID_REQUEST("InvalidRequest", 400),
    INVALID_URI("InvalidURI", 400),
    /** Not of S3, whose keys are no paths: the name is one of a directory, or below a file. */
    KEY_CONFLICT("KeyConflict", 409),
    KEY_TOO_LONG("KeyTooLongError", 400),
    MALFORMED_XML("MalformedXML", 400),
    METADATA_TOO_LARGE("MetadataTooLarge", 400),
    METHOD_NOT_ALLOWED("MethodNotAllowed", 405),
    NO_SUCH_BUCKET("NoSuchBucket", 404),
    NO_SUCH_KEY("NoSuchKey", 404),
    NO_SUCH_UPLOAD("NoSuchUpload", 404),
    NOT_OFFERED("NotImplemented", 501),
    OPERATION_ABORTED("OperationAborted", 409),
    PRECONDITION_FAILED("PreconditionFailed", 412),
    REQUEST_TIME_TOO_SKEWED("RequestTimeTooSkewed", 403),
    SERVICE_UNAVAILABLE("ServiceUnavailable", 503),
    SIGNATURE_DOES_NOT_MATCH("SignatureDoesNotMatch", 403),
    /** Not of S3, which is never full. */
    STORAGE_FULL("InsufficientStorage", 507);

    private final String text;
    private final int status;

    S3Code(String text, int status) {
        this.text = text;
        this.status = status;
    }

    public String text() {
        return text;
    }

    public int status() {
        return status;
    }
}
