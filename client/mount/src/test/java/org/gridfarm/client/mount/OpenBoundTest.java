package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.Shares;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Request;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

class OpenBoundTest {
    private final OpenBound bound = new OpenBound(new Shares(100));
    private final List<Integer> refusals = new ArrayList<>();

    /** Of which nothing counts but how it is refused. */
    private final Request request =
            (Request)
                    Proxy.newProxyInstance(
                            Request.class.getClassLoader(),
                            new Class<?>[] {Request.class},
                            (_, method, arguments) -> {
                                assertThat(method.getName()).isEqualTo("fail");
                                return refusals.add((Integer) arguments[0]);
                            });

    @Test
    void whoOpensTooManyIsToldEnfileAndNobodyElseNotices() {
        int opened = 0;
        while (bound.admits(request, 1000)) {
            opened++;
        }
        assertThat(opened).isEqualTo(50);
        assertThat(refusals).containsExactly(Errno.ENFILE);
        assertThat(bound.admits(request, 1001)).isTrue();
        bound.left(1000);
        assertThat(bound.admits(request, 1000)).as("after a close").isTrue();
        assertThat(bound.admits(request, 1000)).isFalse();
    }

    @Test
    void aMountAsItIsStartedLetsOneUserOpenTenThousandFiles() {
        long heap = 160L << 20; // that of gf mount
        assertThat(OpenBound.filesIn(heap) / 2).isGreaterThan(10_000);
    }
}
