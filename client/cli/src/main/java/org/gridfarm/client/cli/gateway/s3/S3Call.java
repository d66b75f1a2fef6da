package org.gridfarm.client.cli.gateway.s3;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.cli.gateway.s3.auth.Signed;
import org.gridfarm.client.cli.gateway.s3.auth.SignedBody;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Optional;

/** A request with what is needed to answer it in the words of S3. */
record S3Call(Call call, Place place, Signed signed) {
    Gridfarm farm() {
        return call.farm();
    }

    Request request() {
        return call.request();
    }

    Answer answer() {
        return call.answer();
    }

    Parameters parameters() {
        return call.request().parameters();
    }

    Optional<String> header(CharSequence name) {
        return call.request().header(name);
    }

    SignedBody content() {
        return SignedBody.content(request(), signed);
    }

    void xml(int status, Xml document) throws IOException {
        answer().header(HttpHeaderNames.CONTENT_TYPE, Xml.TYPE);
        answer().whole(status, document.bytes());
    }

    /** Otherwise it is the bucket that is missing, where a key is not found. */
    void requireBucket() {
        try {
            if (farm().stat(place.bucketPath()).isDirectory()) return;
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND && e.kind() != ErrorKind.NOT_A_DIRECTORY) throw e;
        }
        throw new S3Failure(S3Code.NO_SUCH_BUCKET, "there is no bucket " + place.bucket());
    }

    S3Failure noSuchKey(@Nullable Throwable cause) {
        requireBucket();
        return new S3Failure(S3Code.NO_SUCH_KEY, "there is no object " + place.key(), cause);
    }
}
