package org.gridfarm.storagenode;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.ticket.ChainHash;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.ticket.TicketKeys;
import org.gridfarm.protocol.auth.ticket.TicketMint;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.HeartbeatReply;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.HeldObject;
import org.gridfarm.protocol.wire.InventoryReply;
import org.gridfarm.protocol.wire.InventoryRequest;
import org.gridfarm.protocol.wire.NodeAddress;
import org.gridfarm.protocol.wire.NodeAddresses;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.RegisterNodeReply;
import org.gridfarm.protocol.wire.RegisterNodeRequest;
import org.gridfarm.protocol.wire.TicketKey;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The side of a metaserver that storage nodes see: it registers them, renews their leases, gives
 * keys and makes tickets.
 */
final class TinyMetaserver implements AutoCloseable {
    static final long INSTANCE = 0x6172;

    final Map<String, Peer> nodes = new ConcurrentHashMap<>();
    final Map<String, String> addresses = new ConcurrentHashMap<>();
    final List<HeldObject> reported = new CopyOnWriteArrayList<>();
    final List<ObjectId> corrupt = new CopyOnWriteArrayList<>();
    final Map<String, HeartbeatRequest> heartbeats = new ConcurrentHashMap<>();
    private final TicketKeys keys = new TicketKeys(TicketKeys.newSecret(Entropy.system()));
    private final TicketMint mint = new TicketMint(keys, Clock.system(), Entropy.system());
    private final RpcServer server;
    volatile boolean silent;

    TinyMetaserver(Loops loops, ChannelSecurity security) {
        server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                new HostPort("127.0.0.1", 0),
                                "metaserver ms1",
                                security,
                                Services.builder()
                                        .on(MetadataMethods.REGISTER_NODE, this::register)
                                        .answer(MetadataMethods.HEARTBEAT, this::heartbeat)
                                        .answer(MetadataMethods.INVENTORY, this::inventory)
                                        .build()));
    }

    HostPort address() {
        return server.address();
    }

    private void register(Exchange<RegisterNodeRequest, RegisterNodeReply> exchange) {
        RegisterNodeRequest request = exchange.request();
        nodes.put(request.getName(), exchange.peer());
        addresses.put(request.getName(), request.getAddress());
        RegisterNodeReply.Builder reply =
                RegisterNodeReply.newBuilder()
                        .setLeaseMillis(2000)
                        .setWantInventory(true)
                        .setInstance(INSTANCE);
        keys.ring(new NodeName(request.getName()), Instant.now())
                .forEach(key ->
                        reply.addKeys(
                                TicketKey.newBuilder()
                                        .setEpoch(key.epoch())
                                        .setKey(ByteString.copyFrom(key.key()))));
        exchange.reply(reply.setAddresses(addresses()).build());
    }

    private NodeAddresses addresses() {
        NodeAddresses.Builder all = NodeAddresses.newBuilder();
        new TreeMap<>(addresses)
                .forEach((node, address) ->
                        all.addNodes(NodeAddress.newBuilder().setNode(node).setAddress(address)));
        return all.setVersion(all.build().hashCode() | 1L).build();
    }

    private HeartbeatReply heartbeat(HeartbeatRequest request) {
        if (silent) {
            throw new FarmException(ErrorKind.OVERLOADED, "heartbeat", request.getName());
        }
        heartbeats.put(request.getName(), request);
        corrupt.addAll(request.getCorruptList());
        HeartbeatReply.Builder reply = HeartbeatReply.newBuilder().setLeaseMillis(2000);
        NodeAddresses now = addresses();
        if (now.getVersion() != request.getAddressesKnown()) {
            reply.setAddresses(now);
        }
        return reply.build();
    }

    private InventoryReply inventory(InventoryRequest request) {
        reported.addAll(request.getObjectsList());
        return InventoryReply.getDefaultInstance();
    }

    /**
     * @param behind the other members, where it is to write at the head of their chain
     */
    ByteString ticket(String node, ObjectId object, Rights rights, long client, String... behind) {
        ChainHash chain = new ChainHash();
        for (String member : behind) {
            chain.add(member, false);
        }
        return ticket(node, object, rights, client, chain.value());
    }

    /** To read what is to be made of the staged file that is shown so. */
    ByteString ticketToReadStaged(String node, ObjectId object, long client, long shown) {
        return ticket(node, object, Rights.READ, client, shown);
    }

    private ByteString ticket(
            String node, ObjectId object, Rights rights, long client, long nonce) {
        return ByteString.copyFrom(
                mint.seal(
                        new NodeName(node),
                        object.getInode(),
                        object.getStripe(),
                        object.getGeneration(),
                        rights,
                        Instant.now().getEpochSecond() + 300,
                        1000,
                        nonce,
                        client));
    }

    /** The chain behind its head. */
    List<ChainMember> members(ObjectId object, Rights rights, long client, String... names) {
        List<ChainMember> members = new ArrayList<>();
        for (String name : names) {
            String address = addresses.get(name);
            members.add(
                    ChainMember.newBuilder()
                            .setNode(name)
                            .setAddress(address == null ? "127.0.0.1:1" : address)
                            .setTicket(ticket(name, object, rights, client))
                            .build());
        }
        return members;
    }

    @Override
    public void close() {
        server.close();
    }
}
