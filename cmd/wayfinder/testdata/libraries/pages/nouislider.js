import noUiSlider from "nouislider"
import "nouislider/dist/nouislider.css"
app.innerHTML = `<div id=s style="width:300px;margin:40px"></div>`
const s = noUiSlider.create(document.getElementById("s"), { start: 20, step: 5, range: { min: 0, max: 100 }, handleAttributes: [{ "aria-label": "Price" }] })
window.state = () => ({ price: +s.get() })
