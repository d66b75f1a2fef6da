package org.gridfarm.metaserver.zookeeper;

import org.gridfarm.metaserver.server.state.Cluster.Member;
import org.gridfarm.protocol.rpc.HostPort;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** A server as the text of its entry {@code members/NAME}: four lines. */
final class MemberEntry {
    private static final String SEPARATOR = "\n";
    private static final int PARTS = 4;
    private static final int BYTES_MAX = 4096;
    private static final Set<String> ROLES = Set.of(Member.LEADER, Member.CACHE);

    private MemberEntry() {}

    static byte[] encode(Member member) {
        return String.join(
                        SEPARATOR,
                        member.name(),
                        member.address(),
                        member.role(),
                        Long.toString(member.epoch()))
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * @param name of the entry
     * @throws IllegalArgumentException what is wrong with it: anything may be written there by a
     *     program of another version, or by whoever could before it was closed
     */
    static Member decode(String name, byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("it has " + bytes.length + " bytes");
        }
        String[] parts = text(bytes).split(SEPARATOR, -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("it has " + parts.length + " lines, not " + PARTS);
        }
        if (!parts[0].equals(name)) {
            throw new IllegalArgumentException("it speaks of another server");
        }
        Object unused = HostPort.parse(parts[1]);
        if (!ROLES.contains(parts[2])) {
            throw new IllegalArgumentException("it names no role");
        }
        if (!parts[3].matches("[0-9]{1,18}")) {
            throw new IllegalArgumentException("its epoch is no number");
        }
        return new Member(parts[0], parts[1], parts[2], Long.parseLong(parts[3]));
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("it is no text", e);
        }
    }
}
