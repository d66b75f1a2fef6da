package org.gridfarm.client.hadoop;

import org.gridfarm.client.FileLayout.Copy;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.client.StorageNode;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What nodes are called where tasks are placed. Spark, YARN and others compare names of hosts as
 * texts, so an address that is a number is told by its name. Thread-safe.
 */
final class Hosts {
    private static final Logger log = LoggerFactory.getLogger(Hosts.class);
    private static final long RACKS_NANOS = 60_000_000_000L;

    private record Racks(Map<String, String> byNode, long asked) {}

    private final Settings settings;
    private final Map<String, String> names = new ConcurrentHashMap<>();
    private volatile Racks racks = new Racks(Map.of(), System.nanoTime() - RACKS_NANOS);

    Hosts(Settings settings) {
        this.settings = settings;
    }

    BlockPlaces.Place place(Copy copy, Gridfarm farm) {
        String host = settings.host(copy.node()).orElseGet(() -> known(copy.host()));
        String port = copy.address().substring(copy.address().lastIndexOf(':') + 1);
        return new BlockPlaces.Place(
                host,
                host.isEmpty() ? "" : host + ':' + port,
                racks(farm).getOrDefault(copy.node(), ""));
    }

    private String known(String host) {
        return settings.resolvesHosts() && isNumber(host)
                ? names.computeIfAbsent(host, Hosts::name)
                : host;
    }

    private static boolean isNumber(String host) {
        return host.matches("[0-9.]+|.*:.*");
    }

    private static String name(String number) {
        try {
            String bare = number.replaceAll("[\\[\\]]", "");
            return InetAddress.getByName(bare).getCanonicalHostName(); // the number, without a name
        } catch (UnknownHostException e) {
            log.debug("{} is told as it is", number, e);
            return number;
        }
    }

    private Map<String, String> racks(Gridfarm farm) {
        Racks known = racks;
        if (System.nanoTime() - known.asked >= RACKS_NANOS) {
            known = new Racks(ask(farm, known.byNode), System.nanoTime());
            racks = known;
        }
        return known.byNode;
    }

    private static Map<String, String> ask(Gridfarm farm, Map<String, String> before) {
        try {
            return farm.nodes().stream()
                    .collect(Collectors.toMap(StorageNode::name, StorageNode::rack));
        } catch (FarmException e) {
            // Where the bytes lie is known without.
            log.warn("racks of the nodes are not known now: {}", e.getMessage());
            return before;
        }
    }
}
