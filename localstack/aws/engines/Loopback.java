import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;

/**
 * Starts DynamoDB Local on 127.0.0.1 only. Its own command line has no bind option and listens on every interface, so
 * the connector is given a host before it opens. Port 0 lets the kernel choose, which no two processes can race for.
 *
 * <p>Standard input is the lifeline: it ends when the parent stops us or dies, however it dies.
 */
final class Loopback {
  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[0]);
    var proxy = ServerRunner.createServerFromCommandLineArgs(java.util.Arrays.copyOfRange(args, 1, args.length));

    var field = proxy.getClass().getDeclaredField("server");
    field.setAccessible(true);
    var connector = (ServerConnector) ((Server) field.get(proxy)).getConnectors()[0];
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    proxy.safeStart();
    System.out.println("listening " + connector.getLocalPort());

    while (System.in.read() >= 0) {}
    proxy.stop();
    System.exit(0);
  }
}
