package org.gridfarm.client.cli.gateway.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Clients that begin documents and do not end them. */
class DocumentRoomTest {
    private static final int MOST = 1 << 20;

    private final DocumentRoom room = new DocumentRoom(4L * MOST);

    private static InputStream of(int bytes) {
        return new ByteArrayInputStream(new byte[bytes]);
    }

    private int length(InputStream from) throws IOException {
        return room.with(from, MOST, document -> document.length);
    }

    @Test
    void aDocumentComesWholeAndOneThatIsTooLongWithOneByteMore() throws IOException {
        for (int bytes : new int[] {0, 1, 65_536, 65_537, MOST}) {
            assertThat(length(of(bytes))).isEqualTo(bytes);
        }
        assertThat(length(of(MOST + 1))).isEqualTo(MOST + 1);
        assertThat(length(of(3 * MOST))).isEqualTo(MOST + 1);
        assertThat(room.isEmpty()).isTrue();
    }

    @Test
    void whatIsHeldLeavesNoRoomForMoreUntilItGoes() throws IOException {
        int other =
                room.with(
                        of(MOST),
                        MOST,
                        document -> {
                            assertThatThrownBy(() -> length(of(MOST)))
                                    .isInstanceOfSatisfying(
                                            S3Failure.class,
                                            e ->
                                                    assertThat(e.code())
                                                            .isEqualTo(S3Code.SERVICE_UNAVAILABLE));
                            return length(of(100));
                        });
        assertThat(other).isEqualTo(100);
        assertThat(room.isEmpty()).isTrue();
        assertThat(length(of(MOST))).isEqualTo(MOST);
    }

    @Test
    void oneThatBreaksOffHoldsNothing() {
        InputStream broken =
                new InputStream() {
                    private int sent;

                    @Override
                    public int read() throws IOException {
                        if (sent++ >= 100_000) throw new IOException("gone");
                        return 'x';
                    }
                };
        assertThatThrownBy(() -> length(broken)).hasMessage("gone");
        assertThat(room.isEmpty()).isTrue();
    }
}
