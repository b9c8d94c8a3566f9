import flatpickr from "flatpickr"
import "flatpickr/dist/flatpickr.css"
app.innerHTML = `<label>Arrival <input id=d></label><label>Time <input id=t></label>`
flatpickr("#d", { defaultDate: "2026-03-01" })
flatpickr("#t", { enableTime: true, noCalendar: true, time_24hr: true, defaultDate: "09:00" })
window.state = () => ({ arrival: d.value, time: t.value })
