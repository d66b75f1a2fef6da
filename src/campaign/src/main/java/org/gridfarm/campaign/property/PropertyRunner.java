package org.gridfarm.campaign.property;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Gives a {@link Property} its runs. In the gate seeds are fixed by the method's name, so that a
 * build is repeatable; a campaign tries others.
 */
final class PropertyRunner implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return context.getTestMethod()
                .map(m -> m.isAnnotationPresent(Property.class))
                .orElse(false);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
            ExtensionContext context) {
        Property property = context.getRequiredTestMethod().getAnnotation(Property.class);
        Long wanted = Long.getLong("gf.seed");
        int tries = property.tries() * Tier.count("property.times");
        long base = Tier.seed((long) context.getRequiredTestMethod().getName().hashCode() << 20);
        LongStream seeds =
                wanted != null
                        ? LongStream.of(wanted)
                        : IntStream.range(0, tries).mapToLong(i -> base + i);
        return seeds.mapToObj(Run::new);
    }

    private record Run(long seed) implements TestTemplateInvocationContext, ParameterResolver {
        @Override
        public String getDisplayName(int index) {
            return "gf.seed=" + seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Dice.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return new Dice(seed);
        }
    }
}
