package org.gridfarm.protocol.observe;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * The meters of a process. Every name begins with {@code gf_}, also those of the JVM; every meter
 * carries the component and its name. Rooms register what they measure at {@link #registry()}.
 */
public final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry;
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /**
     * @param component what the process is, such as {@code metaserver}
     * @param name which one, such as {@code ms1}
     */
    public Metrics(String component, String name) {
        registry =
                new PrometheusMeterRegistry(
                        PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM);
        registry.config()
                .meterFilter(new Prefixed())
                .commonTags(Tags.of("component", component, "name", name));
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        collections.bindTo(registry);
    }

    public MeterRegistry registry() {
        return registry;
    }

    /** Everything, in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }

    private static final class Prefixed implements MeterFilter {
        @Override
        public Meter.Id map(Meter.Id id) {
            String name = id.getName();
            return name.startsWith("gf.") || name.startsWith("gf_")
                    ? id
                    : id.withName("gf." + name);
        }
    }
}
