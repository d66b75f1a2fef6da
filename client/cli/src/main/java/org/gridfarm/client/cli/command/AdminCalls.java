package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
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
        AdminRequest request =
                AdminRequest.newBuilder().setCommand(command).putAllArguments(arguments).build();
        return JSON.readTree(farm.callLeader(MetadataMethods.ADMIN, request, deadline).getJson());
    }

    static JsonNode call(Gridfarm farm, String command, Map<String, String> arguments) {
        return call(farm, command, arguments, farm.config().timeout());
    }
}
