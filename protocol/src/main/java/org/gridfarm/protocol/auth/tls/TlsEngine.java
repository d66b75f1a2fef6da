package org.gridfarm.protocol.auth.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/**
 * Which TLS engine carries the bytes. The native one moves about three times as many per core; both
 * judge alike.
 */
public enum TlsEngine {
    /** Native where its library is there, else the JDK's. */
    AUTOMATIC,
    NATIVE,
    JDK;

    SslProvider provider() {
        return switch (this) {
            case JDK -> SslProvider.JDK;
            case NATIVE -> SslProvider.OPENSSL;
            case AUTOMATIC -> OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
        };
    }
}
