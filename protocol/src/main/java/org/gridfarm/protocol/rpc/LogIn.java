package org.gridfarm.protocol.rpc;

import com.google.protobuf.ByteString;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.SharedKeys;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.KeyProof;
import org.gridfarm.protocol.wire.LogInReply;
import org.gridfarm.protocol.wire.LogInRequest;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * A guest becomes somebody, once, before he asks for anything else. Who fails is cut off, so that a
 * guess costs a handshake.
 */
final class LogIn {
    static final Method<LogInRequest, LogInReply> METHOD =
            new Method<>(
                    182,
                    "log-in",
                    LogInRequest.parser(),
                    LogInReply.parser(),
                    Retry.ONCE,
                    Access.of(Role.GUEST).needing("a token, or a key"));

    private static final SecureRandom RANDOM = new SecureRandom();

    private LogIn() {}

    /** What a server answers, and this where guests may log in. */
    static Services beside(Services services, LogIns by) {
        if (!by.areAny()) return services;
        return Services.builder()
                .include(services)
                .on(METHOD, exchange -> serve(exchange, by))
                .build();
    }

    static ByteString random() {
        byte[] bytes = new byte[ChannelBinding.RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    private static void serve(Exchange<LogInRequest, LogInReply> exchange, LogIns by) {
        Connection connection = (Connection) exchange.peer();
        LogInRequest request = exchange.request();
        try {
            LogInReply.Builder reply = LogInReply.newBuilder();
            LogIns.Standing found =
                    request.hasKey()
                            ? byKey(connection, by, request.getKey(), reply)
                            : by.tokens()
                                    .orElseThrow(() -> refusal("", "no tokens are taken here"))
                                    .judge(request.getToken());
            connection.whom().logsIn(found);
            Audit.mapped(connection, METHOD.name());
            exchange.reply(reply.setUser(found.identity().user()).build());
        } catch (FarmException e) {
            Audit.stranger(connection.whom().from(), e);
            exchange.fail(e);
            connection.close();
        }
    }

    private static FarmException refusal(String subject, String why) {
        return new FarmException(ErrorKind.NOT_AUTHENTICATED, "log in", subject, why);
    }

    private static LogIns.Standing byKey(
            Connection connection, LogIns by, KeyProof shown, LogInReply.Builder reply) {
        Current<SharedKeys> keys =
                by.keys().orElseThrow(() -> refusal("", "no keys are taken here"));
        byte[] nonce = shown.getNonce().toByteArray();
        SharedKeys.Key key =
                keys.find(known -> known.find(shown.getId()))
                        .orElseThrow(() -> refusal(shown.getId(), "no such key"));
        if (nonce.length != ChannelBinding.RANDOM_BYTES) throw refusal(key.id(), "no nonce");
        ChannelBinding binding = connection.whom().binding();
        byte[] wanted = binding.proof(ChannelBinding.Side.CLIENT, key.id(), key.secret(), nonce);
        if (!MessageDigest.isEqual(wanted, shown.getProof().toByteArray())) {
            throw refusal(key.id(), "another key than the one that is known here");
        }
        reply.setProof(
                ByteString.copyFrom(
                        binding.proof(ChannelBinding.Side.SERVER, key.id(), key.secret(), nonce)));
        return new KeyStanding(key, keys);
    }

    /** Until somebody removes the key. */
    private record KeyStanding(SharedKeys.Key key, Current<SharedKeys> keys)
            implements LogIns.Standing {
        @Override
        public Identity identity() {
            return new Identity(
                    "key:" + key.id(), Role.USER, List.of(key.account()), Optional.empty(), false);
        }

        @Override
        public boolean stands() {
            return keys.get()
                    .find(key.id())
                    .filter(now -> now.account().equals(key.account()))
                    .filter(now -> MessageDigest.isEqual(now.secret(), key.secret()))
                    .isPresent();
        }
    }

    /** The client's side; fails with what the server says, or where it proves nothing. */
    static CompletableFuture<LogInReply> to(Connection connection, byte[] challenge, OwnLogIn own) {
        ChannelBinding binding = connection.whom().bindingTo(challenge);
        LogInRequest request = own.request(binding);
        return connection
                .callPlain(METHOD, request, RpcLimits.HANDSHAKE_MAX)
                .thenApply(reply -> {
                    own.confirm(binding, request, reply);
                    return reply;
                });
    }

    /** Of a connection as one of its ends sees it. */
    static ChannelBinding binding(Channel channel, byte[] challenge, boolean accepted) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        X509Certificate own = channel.attr(TlsContexts.OWN).get();
        if (tls == null || own == null) throw refusal("", "this connection is not protected");
        try {
            X509Certificate other =
                    (X509Certificate) tls.engine().getSession().getPeerCertificates()[0];
            return ChannelBinding.of(challenge, accepted ? own : other, accepted ? other : own);
        } catch (SSLPeerUnverifiedException e) {
            throw refusal("", "the other side has shown no certificate");
        }
    }
}
