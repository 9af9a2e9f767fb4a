import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.xml.sax.SAXException;

/**
 * Holds documents to the schema given as argument. Each comes on standard input after its length in bytes, a
 * big-endian 32-bit integer, and is answered with a line: "valid", or what is wrong. The end of the input ends it.
 */
final class Validate {
    public static void main(String[] arguments) throws Exception {
        SchemaFactory factory = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        Schema schema = factory.newSchema(new File(arguments[0]));
        DataInputStream in = new DataInputStream(System.in);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        while (true) {
            byte[] document;
            try {
                document = in.readNBytes(in.readInt());
            } catch (java.io.EOFException end) {
                return;
            }
            try {
                schema.newValidator().validate(new StreamSource(new ByteArrayInputStream(document)));
                out.println("valid");
            } catch (SAXException mistake) {
                out.println(mistake.getMessage().replace('\n', ' '));
            }
        }
    }
}
