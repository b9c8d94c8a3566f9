import Tagify from "@yaireo/tagify"
import "@yaireo/tagify/dist/tagify.css"
app.innerHTML = `<label>Topics <input id=topics value="tea"></label>`
const t = new Tagify(topics)
t.DOM.input.setAttribute("aria-label", "Topics")
window.state = () => ({ topics: t.value.map((v) => v.value) })
