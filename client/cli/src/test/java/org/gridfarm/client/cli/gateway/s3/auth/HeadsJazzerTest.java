package org.gridfarm.client.cli.gateway.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.ReferenceCountUtil;

import org.gridfarm.campaign.Changed;
import org.gridfarm.campaign.Tier;
import org.gridfarm.client.cli.gateway.content.ByteRange;
import org.gridfarm.client.cli.gateway.http.Percent;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.cli.gateway.http.Requests;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** Heads of requests, of whoever reaches the gateway's port. Nobody here has signed anything. */
class HeadsJazzerTest {
    private static final Instant NOW = Instant.parse("2013-05-24T00:00:00Z");
    private static final AccessKey KEY =
            new AccessKey(
                    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "ann");

    private static final String SCOPE = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";

    static Stream<byte[]> heads() {
        return Stream.of(
                        """
                        GET /fs/a%20b?op=OPEN&offset=3 HTTP/1.1
                        Host: farm.example:8480
                        Range: bytes=0-99
                        Authorization: Bearer abc

                        """,
                        """
                        PUT /bucket/key?partNumber=1&uploadId=2 HTTP/1.1
                        Host: farm.example
                        x-amz-date: 20130524T000000Z
                        x-amz-content-sha256: UNSIGNED-PAYLOAD
                        Authorization: AWS4-HMAC-SHA256 Credential=%s,SignedHeaders=host;x-amz-date,Signature=%s

                        """
                                .formatted(SCOPE, "0".repeat(64)),
                        """
                        GET /b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%s&X-Amz-Date=20130524T000000Z&X-Amz-Expires=9&%s HTTP/1.1
                        Host: farm.example

                        """
                                .formatted(
                                        SCOPE.replace("/", "%2F"),
                                        "X-Amz-SignedHeaders=host&X-Amz-Signature="
                                                + "f".repeat(64)))
                .map(head -> head.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    @MethodSource("heads")
    @FuzzTest(maxDuration = "1m")
    void heads(byte[] bytes) {
        EmbeddedChannel channel = new EmbeddedChannel(new HttpRequestDecoder());
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
        channel.finish();
        for (Object part = channel.readInbound(); part != null; part = channel.readInbound()) {
            if (part instanceof HttpRequest head && head.decoderResult().isSuccess()) judge(head);
            ReferenceCountUtil.release(part);
        }
    }

    private static void judge(HttpRequest head) {
        try {
            Request request = Requests.of(head, new byte[0]);
            request.length();
            request.hasBody();
            Percent.path(request.path());
            request.header("Range").ifPresent(range -> ByteRange.of(range, 1000));
            request.origin();
        } catch (FarmException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
        try {
            Signature.verify(
                    Requests.of(head, new byte[0]),
                    id -> Optional.of(KEY).filter(key -> key.id().equals(id)),
                    NOW);
            throw new AssertionError("nobody has signed " + head);
        } catch (S3Failure | FarmException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    @Test
    void seedsThatWereChanged() {
        Random random = new Random(Tier.seed(20261127L));
        List<byte[]> seeds = heads().toList();
        for (int i = 0; i < Tier.count("decoders"); i++) {
            heads(Changed.of(seeds.get(random.nextInt(seeds.size())), random));
        }
    }
}
