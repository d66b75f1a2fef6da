package org.gridfarm.protocol.rpc;

/**
 * What a server listens on and answers.
 *
 * @param listen the address to bind; port 0 takes a free one
 * @param serverName what the server calls itself in its WELCOME, such as {@code metaserver ms1}
 */
public record RpcServerConfig(
        HostPort listen,
        String serverName,
        ChannelSecurity security,
        Services services,
        ConnectionListener listener,
        KeepAlive keepAlive,
        RpcObserver observer) {
    public RpcServerConfig(
            HostPort listen, String serverName, ChannelSecurity security, Services services) {
        this(
                listen,
                serverName,
                security,
                services,
                ConnectionListener.NONE,
                KeepAlive.DEFAULT,
                RpcObserver.NONE);
    }

    public RpcServerConfig withListener(ConnectionListener other) {
        return new RpcServerConfig(
                listen, serverName, security, services, other, keepAlive, observer);
    }

    public RpcServerConfig withKeepAlive(KeepAlive other) {
        return new RpcServerConfig(
                listen, serverName, security, services, listener, other, observer);
    }

    public RpcServerConfig withObserver(RpcObserver other) {
        return new RpcServerConfig(
                listen, serverName, security, services, listener, keepAlive, other);
    }

    ConnectionSettings connections() {
        return new ConnectionSettings(
                LogIn.beside(ActAs.beside(services), security.logIns()),
                keepAlive,
                observer,
                security.everybody() == null);
    }
}
