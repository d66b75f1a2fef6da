package org.gridfarm.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

class PublicApiTest {
    @Test
    void noSignatureNamesWhatAProgramIsNotToKnow() throws Exception {
        List<Class<?>> api = PublicClasses.all();
        assertThat(api).contains(Gridfarm.class, Job.class, FarmFile.class);
        TreeSet<String> leaks = new TreeSet<>();
        for (Class<?> type : api) {
            for (Type named : signatures(type)) {
                leaks(named, type.getName() + " names ", leaks);
            }
        }
        assertThat(leaks).isEmpty();
    }

    @Test
    void aLeakIsSeen() {
        TreeSet<String> leaks = new TreeSet<>();
        Method leaking =
                Arrays.stream(org.gridfarm.client.core.Gridfarm.class.getMethods())
                        .filter(method -> method.getName().equals("nodes"))
                        .findFirst()
                        .orElseThrow();
        leaks(leaking.getGenericReturnType(), "", leaks);
        assertThat(leaks).containsExactly("org.gridfarm.protocol.wire.NodeInfo");
    }

    private static List<Type> signatures(Class<?> type) {
        List<Type> named = new ArrayList<>();
        named.add(type.getGenericSuperclass());
        named.addAll(List.of(type.getGenericInterfaces()));
        for (Method method : type.getDeclaredMethods()) {
            if (isSeen(method.getModifiers())) {
                named.add(method.getGenericReturnType());
                named.addAll(List.of(method.getGenericParameterTypes()));
                named.addAll(List.of(method.getGenericExceptionTypes()));
            }
        }
        for (var constructor : type.getDeclaredConstructors()) {
            if (isSeen(constructor.getModifiers())) {
                named.addAll(List.of(constructor.getGenericParameterTypes()));
            }
        }
        for (var field : type.getDeclaredFields()) {
            if (isSeen(field.getModifiers())) {
                named.add(field.getGenericType());
            }
        }
        named.removeIf(Objects::isNull);
        return named;
    }

    private static boolean isSeen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static void leaks(Type type, String where, TreeSet<String> into) {
        if (type instanceof Class<?> named) {
            Class<?> plain = named.isArray() ? named.getComponentType() : named;
            String room = plain.isPrimitive() ? "java" : plain.getPackageName();
            if (!room.startsWith("java") && !PublicClasses.PACKAGES.contains(room)) {
                into.add(where + plain.getName());
            }
        } else if (type instanceof ParameterizedType generic) {
            leaks(generic.getRawType(), where, into);
            for (Type argument : generic.getActualTypeArguments()) {
                leaks(argument, where, into);
            }
        } else if (type instanceof GenericArrayType array) {
            leaks(array.getGenericComponentType(), where, into);
        } else if (type instanceof WildcardType wild) {
            for (Type bound : wild.getUpperBounds()) {
                leaks(bound, where, into);
            }
        } else if (!(type instanceof TypeVariable<?>)) {
            throw new IllegalStateException("a type of another kind: " + type);
        }
    }
}
