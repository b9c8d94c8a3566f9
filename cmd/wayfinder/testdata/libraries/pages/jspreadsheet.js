import jspreadsheet from "jspreadsheet-ce"
import "jspreadsheet-ce/dist/jspreadsheet.css"
import "jsuites/dist/jsuites.css"
app.innerHTML = `<div id=s></div>`
const [sheet] = jspreadsheet(s, { worksheets: [{ data: [["Food", 350], ["Rent", 900]], columns: [{ type: "text", title: "What", width: 120 }, { type: "text", title: "Amount", width: 120 }] }] })
window.state = () => ({ editing: document.querySelector("td.editor input")?.value, chosen: document.querySelector("td.highlight-selected")?.textContent, data: sheet.getData().map((r) => r.map(String)) })
