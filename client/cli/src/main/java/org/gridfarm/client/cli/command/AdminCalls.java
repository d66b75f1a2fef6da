package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.AdminRequest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.util.Map;

/** ADMIN calls, whose answers are JSON. */
final class AdminCalls {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private AdminCalls() {}

    static JsonNode call(
            Gridfarm farm, String command, Map<String, String> arguments, Duration deadline) {
        AdminRequest request = request(command, arguments);
        return JSON.readTree(farm.callLeader(MetadataMethods.ADMIN, request, deadline).getJson());
    }

    /** Arguments travel as characters: a name that is none is refused, not sent as another. */
    static AdminRequest request(String command, Map<String, String> arguments) {
        for (String argument : arguments.values()) {
            if (!NameText.shown(argument).equals(argument)) {
                throw new FarmException(
                        ErrorKind.UNSUPPORTED, command, argument, "the name is not UTF-8");
            }
        }
        return AdminRequest.newBuilder().setCommand(command).putAllArguments(arguments).build();
    }

    static JsonNode call(Gridfarm farm, String command, Map<String, String> arguments) {
        return call(farm, command, arguments, farm.config().timeout());
    }
}
