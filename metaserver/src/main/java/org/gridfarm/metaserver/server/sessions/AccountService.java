package org.gridfarm.metaserver.server.sessions;

import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.session.Accounts;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AccountNumbersReply;
import org.gridfarm.protocol.wire.AccountNumbersRequest;
import org.gridfarm.protocol.wire.NamedNumber;

import java.util.List;
import java.util.Map;

/** Tells mounts which numbers names have here, the same at the leader and at caches. */
public final class AccountService {
    private final ServerIdentity identity;

    public AccountService(ServerIdentity identity) {
        this.identity = identity;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.ACCOUNT_NUMBERS, this::numbers);
    }

    private void numbers(Exchange<AccountNumbersRequest, AccountNumbersReply> exchange) {
        AccountNumbersRequest request = exchange.request();
        if (request.getUsersCount() + request.getGroupsCount() > MetadataMethods.NAMES_MAX) {
            throw new FarmException(
                    ErrorKind.TOO_BIG,
                    exchange.method().name(),
                    "",
                    "more than " + MetadataMethods.NAMES_MAX + " names");
        }
        identity.blocking()
                .execute(() -> {
                    try {
                        Accounts accounts = identity.accounts();
                        exchange.reply(
                                AccountNumbersReply.newBuilder()
                                        .addAllUsers(named(accounts.users(request.getUsersList())))
                                        .addAllGroups(
                                                named(accounts.groups(request.getGroupsList())))
                                        .build());
                    } catch (RuntimeException e) {
                        exchange.failWith(e);
                    }
                });
    }

    private static List<NamedNumber> named(Map<String, Integer> numbers) {
        return numbers.entrySet().stream()
                .map(one ->
                        NamedNumber.newBuilder()
                                .setName(one.getKey())
                                .setNumber(one.getValue())
                                .build())
                .toList();
    }
}
