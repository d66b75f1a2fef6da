package org.gridfarm.protocol.rpc;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.SharedKeys;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.KeyProof;
import org.gridfarm.protocol.wire.LogInReply;
import org.gridfarm.protocol.wire.LogInRequest;

import java.security.MessageDigest;
import java.util.function.Supplier;

/** How a client without a certificate says who it is, on each connection anew. */
public interface OwnLogIn {
    /** Whether servers of that role are told. Nodes never are: they are shown tickets. */
    boolean isFor(Role server);

    /** For this connection; the server has shown a certificate that was verified. */
    LogInRequest request(ChannelBinding binding);

    /** Throws NOT_AUTHENTICATED where the server has not proved what it has to. */
    void confirm(ChannelBinding binding, LogInRequest sent, LogInReply reply);

    /**
     * By a bearer token, which is shown to metaservers alone.
     *
     * @param token asked for at each connection, since it may have been renewed
     */
    static OwnLogIn byToken(Supplier<String> token) {
        return new OwnLogIn() {
            @Override
            public boolean isFor(Role server) {
                return server == Role.METASERVER;
            }

            @Override
            public LogInRequest request(ChannelBinding binding) {
                return LogInRequest.newBuilder().setToken(token.get()).build();
            }

            @Override
            public void confirm(ChannelBinding binding, LogInRequest sent, LogInReply reply) {}
        };
    }

    /** By a key that the servers have, too; it never leaves this process, and both prove it. */
    static OwnLogIn byKey(Supplier<SharedKeys.Key> key) {
        return new OwnLogIn() {
            @Override
            public boolean isFor(Role server) {
                return server == Role.METASERVER || server == Role.SCHEDULER;
            }

            @Override
            public LogInRequest request(ChannelBinding binding) {
                SharedKeys.Key own = key.get();
                byte[] nonce = LogIn.random().toByteArray();
                byte[] proof =
                        binding.proof(ChannelBinding.Side.CLIENT, own.id(), own.secret(), nonce);
                return LogInRequest.newBuilder()
                        .setKey(
                                KeyProof.newBuilder()
                                        .setId(own.id())
                                        .setNonce(ByteString.copyFrom(nonce))
                                        .setProof(ByteString.copyFrom(proof)))
                        .build();
            }

            @Override
            public void confirm(ChannelBinding binding, LogInRequest sent, LogInReply reply) {
                SharedKeys.Key own = key.get();
                byte[] wanted =
                        binding.proof(
                                ChannelBinding.Side.SERVER,
                                own.id(),
                                own.secret(),
                                sent.getKey().getNonce().toByteArray());
                if (!MessageDigest.isEqual(wanted, reply.getProof().toByteArray())) {
                    throw new FarmException(
                            ErrorKind.NOT_AUTHENTICATED,
                            "log in",
                            own.id(),
                            "the server does not know the key");
                }
            }
        };
    }
}
