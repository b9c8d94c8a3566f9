import Handsontable from "handsontable"
import "handsontable/styles/handsontable.css"
import "handsontable/styles/ht-theme-main.css"
app.innerHTML = `<div id=h></div>`
const h = new Handsontable(document.getElementById("h"), { data: [["Food", "350"], ["Rent", "900"]], colHeaders: ["What", "Amount"], themeName: "ht-theme-main", licenseKey: "non-commercial-and-evaluation" })
window.state = () => ({ chosen: h.getSelectedLast() && h.getValue(), editing: h.getActiveEditor()?.isOpened() ? h.getActiveEditor().getValue() : null, data: h.getData() })
