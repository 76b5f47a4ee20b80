package io.ringtable.broker.store.sqlserver;

import java.io.IOException;
import java.io.StringReader;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Reads what SET SHOWPLAN_XML answers. */
final class Showplan {
    private Showplan() {}

    /**
     * Returns one line for each access to a table or an index, as in
     * {@code Clustered Index Seek [ringtable].[slot].[slot_pk] FORWARD}. A line has the physical operator,
     * {@code [schema].[table].[index]}, and the direction of a scan or seek. Table variables have no schema.
     */
    static String accesses(String document) {
        NodeList objects = parse(document).getElementsByTagName("Object");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < objects.getLength(); i++) {
            Element object = (Element) objects.item(i);
            if (object.getParentNode() instanceof Element operator
                    && operator.getParentNode() instanceof Element step
                    && step.getTagName().equals("RelOp")) {
                lines.append(step.getAttribute("PhysicalOp"))
                        .append(' ')
                        .append(object.getAttribute("Schema"))
                        .append('.')
                        .append(object.getAttribute("Table"))
                        .append('.')
                        .append(object.getAttribute("Index"))
                        .append(' ')
                        .append(operator.getAttribute("ScanDirection"))
                        .append('\n');
            }
        }
        return lines.toString();
    }

    private static Element parse(String document) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            Node root = factory.newDocumentBuilder()
                    .parse(new InputSource(new StringReader(document)))
                    .getDocumentElement();
            return (Element) root;
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new IllegalStateException("no plan: " + document, e);
        }
    }
}
