package org.gridfarm.test.cluster;

import org.gridfarm.client.cli.cluster.Cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** What a daemon tells those who watch it. */
public final class Metrics {
    private Metrics() {}

    /** All of it as text; empty while it starts or ends. */
    public static String of(Cluster.ComponentStatus daemon) {
        return of(String.valueOf(daemon.http()));
    }

    /** The same of whatever shows metrics at the address. */
    static String of(String address) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://" + address + "/metrics")).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** How often the daemon was called so. */
    public static double calls(Cluster.ComponentStatus daemon, String method) {
        return of(daemon)
                .lines()
                .filter(line -> line.startsWith("gf_rpc_duration_seconds_count{"))
                .filter(line -> line.contains("side=\"server\""))
                .filter(line -> line.contains("method=\"" + method + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** The values of that name together. */
    public static double value(Cluster.ComponentStatus daemon, String name) {
        return value(daemon, name, "");
    }

    /** The values of that name with the tag, which is written as in the text. */
    public static double value(Cluster.ComponentStatus daemon, String name, String tag) {
        return value(of(daemon), name, tag);
    }

    /** The same in what was told. */
    public static double value(String told, String name, String tag) {
        return told.lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .filter(line -> line.contains(tag))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .reduce(Double::sum)
                .orElseThrow(() -> new AssertionError("nothing is told of " + name));
    }
}
