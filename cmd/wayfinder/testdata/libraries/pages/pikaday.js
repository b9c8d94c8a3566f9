import Pikaday from "pikaday"
import "pikaday/css/pikaday.css"
app.innerHTML = `<label>Arrival <input id=d></label>`
const p = new Pikaday({ field: d, defaultDate: new Date(2026, 2, 1), setDefaultDate: true, toString: (day) => [day.getFullYear(), day.getMonth() + 1, day.getDate()].join("-") })
window.state = () => ({ arrival: d.value })
